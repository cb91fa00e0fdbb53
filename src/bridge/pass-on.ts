// A request of a modern client to a modern server: passed on as it is, and its answer and notifications back.
import { chunksOf, find, slice, valueOf, type Frame } from '../jsonrpc/frame.ts';
import { invalidRequest, isModernCode, methodNotFound, parseError } from '../protocol/error-codes.ts';
import { modernHeaders } from '../protocol/modern-headers.ts';
import { paramString, type ModernRequest } from '../protocol/modern-request.ts';
import type { ParamHeader } from '../protocol/param-headers.ts';
import { unreadableAnswer } from '../protocol/refusals.ts';
import type { RequestHandlers } from '../session/requests.ts';
import type { Session } from '../session/session.ts';
import { toForwarded, withSubscription, withToken } from '../translate/pass-on.ts';
import type { BridgeContext } from './context.ts';
import { lost, outcomeOf, type Outcome, type Responder } from './outcome.ts';

/** Returns how the client gives the request up. */
export function passOn(
  context: BridgeContext,
  request: ModernRequest,
  session: Session,
  responder: Responder,
): () => void {
  let id: number | undefined;
  let isOver = false;
  const send = (rules: readonly ParamHeader[]): void => {
    if (isOver) return;
    const lines = session.takesLines ? modernHeaders(request, rules) : {};
    const handlers = handlersFor(context, request, responder);
    id = session.request((number) => toForwarded(request, number), handlers, { lines });
  };
  const rules = rulesFor(context, request, session);
  if (rules instanceof Promise)
    rules.then(send).catch((error: unknown) => {
      responder.answer(outcomeOf(error));
    });
  else send(rules);
  return () => {
    isOver = true;
    if (id !== undefined) session.cancel(id, 'The client cancelled the request');
  };
}

/** Only over HTTP are arguments repeated in headers. */
function rulesFor(
  { knownTools, pool }: BridgeContext,
  request: ModernRequest,
  session: Session,
): readonly ParamHeader[] | Promise<readonly ParamHeader[]> {
  const tool =
    request.method === 'tools/call' && session.takesLines ? paramString(request, 'name') : undefined;
  if (tool === undefined) return [];
  return knownTools.headersOf(tool, session, () => pool.primary());
}

function handlersFor(
  { knownTools }: BridgeContext,
  request: ModernRequest,
  responder: Responder,
): RequestHandlers {
  const { progressToken, id } = request;
  return {
    onAnswer: (frame) => {
      if (request.method === 'tools/list') knownTools.learn(frame, request);
      responder.answer(outcomeOfAnswer(frame, request));
    },
    onLost: (loss) => {
      responder.answer(lost(loss));
    },
    onProgress: (frame) => {
      const params = progressToken && withToken(frame, progressToken.text);
      if (params !== undefined) responder.notify('notifications/progress', params);
    },
    onLogMessage: (frame) => {
      const params = find(frame.members, 'params');
      if (params !== undefined) responder.notify('notifications/message', [slice(frame.bytes, params)]);
    },
    onNotification: (method, frame) => {
      const params = withSubscription(frame, 'params', id.text);
      if (params !== undefined) responder.notify(method, params);
    },
  };
}

function outcomeOfAnswer(frame: Frame, { method, id }: ModernRequest): Outcome {
  const { members } = frame;
  const error = find(members, 'error');
  if (error !== undefined) return { kind: 'error', body: chunksOf(frame, error), status: statusOf(frame) };
  const result = find(members, 'result');
  if (result === undefined) return outcomeOf(unreadableAnswer());
  const ending = method === 'subscriptions/listen' ? withSubscription(frame, 'result', id.text) : undefined;
  return { kind: 'result', body: ending ?? chunksOf(frame, result) };
}

/** The status that the specification names for an error. spec 2026-07-28 basic/transports/streamable-http */
function statusOf({ bytes, members }: Frame): number {
  const code = find(find(members, 'error')?.members, 'code');
  const value = code && valueOf(bytes, code);
  if (value === methodNotFound) return 404;
  return isModernCode(value) || value === parseError || value === invalidRequest ? 400 : 200;
}
