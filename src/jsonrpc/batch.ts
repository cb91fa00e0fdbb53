// A batch: several JSON-RPC messages in one array. Only 2025-03-26 and before have them.
import { parseFrame, slice, type ParsedFrame } from './frame.ts';
import { elementsOf, endOfValue, skipSpace } from './scan.ts';

/** What `parseFrame` says of each element; undefined when the text is no JSON array. Takes the bytes over. */
export function parseBatch(bytes: Buffer): readonly ParsedFrame[] | undefined {
  const start = skipSpace(bytes, 0);
  const end = endOfValue(bytes, start);
  if (bytes[start] !== 0x5b || end === -1 || skipSpace(bytes, end) !== bytes.length) return undefined;
  return elementsOf(bytes, { start, end }).map((element) => parseFrame(slice(bytes, element)));
}
