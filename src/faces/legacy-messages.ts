// What a legacy client sends, read for the relay: single messages and batches.
import { outcomeOf } from '../bridge/outcome.ts';
import { BridgeError } from '../errors.ts';
import { parseBatch } from '../jsonrpc/batch.ts';
import type { Chunks, Frame } from '../jsonrpc/frame.ts';
import { idOf } from '../jsonrpc/request-id.ts';
import { invalidRequest } from '../protocol/error-codes.ts';
import { parseClientMessage } from '../protocol/modern-request.ts';
import { takesBatches } from '../protocol/versions.ts';
import type { RelayedSession } from '../relay/relayed-session.ts';
import { BatchAnswers } from './batch-answers.ts';
import { isResponse, responseFrame } from './wire.ts';

/** The number of a request; undefined for what has no answer. Throws what the frame is to be refused with. */
export function takeMessage(session: RelayedSession, frame: Frame): number | undefined {
  if (!isResponse(frame)) parseClientMessage(frame);
  return session.take(frame);
}

/** Passes the messages of a batch on, one by one. Throws where the whole of it is refused. */
export function takeBatch(session: RelayedSession, bytes: Buffer): BatchAnswers {
  const elements = takesBatches(session.version) ? parseBatch(bytes) : undefined;
  if (elements === undefined || elements.length === 0) throw noBatch();
  const answers = new BatchAnswers();
  for (const element of elements) {
    const frame = element.ok ? element.frame : undefined;
    try {
      if (frame === undefined) throw noBatch();
      const request = takeMessage(session, frame);
      if (request !== undefined) answers.expect(request);
    } catch (error) {
      answers.add(refusalOf(frame, error));
    }
  }
  return answers;
}

export function refusalOf(frame: Frame | undefined, error: unknown): Chunks {
  return responseFrame(frame && idOf(frame), outcomeOf(error));
}

function noBatch(): BridgeError {
  const message = 'Batches are part of 2025-03-26 and before, and hold JSON-RPC messages';
  return new BridgeError(invalidRequest, 'invalid_request', message, { status: 400 });
}
