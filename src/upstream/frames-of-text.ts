// The frames of one piece of JSON text that a server sent: a line, a body, an event. One as a rule, several where the
// server speaks 2025-03-26 and batches.
import { parseFrame, slice, type Frame } from '../jsonrpc/frame.ts';
import { elementsOf, endOfValue, skipSpace } from '../jsonrpc/scan.ts';

/** Empty when the text is not JSON-RPC at all: banners, log lines, package runners' notices. Takes the bytes over. */
export function framesOfText(text: Buffer): readonly Frame[] {
  const parsed = parseFrame(text);
  if (parsed.ok) return [parsed.frame];
  return parsed.reason === 'batch' ? framesOfBatch(text) : [];
}

function framesOfBatch(text: Buffer): readonly Frame[] {
  const start = skipSpace(text, 0);
  const end = endOfValue(text, start);
  if (end === -1 || skipSpace(text, end) !== text.length) return [];
  return elementsOf(text, { start, end }).flatMap((element) => {
    const parsed = parseFrame(slice(text, element));
    return parsed.ok ? [parsed.frame] : [];
  });
}
