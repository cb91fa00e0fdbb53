// The result by which a call's questions go to its client. spec 2026-07-28 basic/patterns/mrtr#inputrequiredresult
import { text, toBytes, type Chunks } from '../jsonrpc/frame.ts';
import { entry, toObject } from '../jsonrpc/object-edit.ts';
import { signature } from './result-up.ts';

/** `requests` are the JSON texts of input requests under their keys. */
export function toInputRequired(
  requests: readonly { readonly key: string; readonly body: Chunks }[],
  requestState: string,
  serverInfo: Buffer,
): Chunks {
  const inputRequests = toObject(requests.map(({ key, body }) => entry(key, body)));
  const members = [
    entry('resultType', [text('"input_required"')]),
    entry('inputRequests', inputRequests),
    entry('requestState', [toBytes(requestState)]),
    signature(serverInfo),
  ];
  return toObject(members);
}
