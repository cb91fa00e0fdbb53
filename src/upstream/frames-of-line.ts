// The frames of one line that a server wrote: one as a rule, several where the server speaks 2025-03-26 and batches.
import { parseFrame, slice, type Frame } from '../jsonrpc/frame.ts';
import { elementsOf, endOfValue, skipSpace } from '../jsonrpc/scan.ts';

/** Empty when the line is not JSON-RPC at all: banners, log lines, package runners' notices. */
export function framesOfLine(line: Buffer): readonly Frame[] {
  const parsed = parseFrame(line);
  if (parsed.ok) return [parsed.frame];
  return parsed.reason === 'batch' ? framesOfBatch(line) : [];
}

function framesOfBatch(line: Buffer): readonly Frame[] {
  const start = skipSpace(line, 0);
  const end = endOfValue(line, start);
  if (end === -1 || skipSpace(line, end) !== line.length) return [];
  return elementsOf(line, { start, end }).flatMap((element) => {
    const parsed = parseFrame(slice(line, element));
    return parsed.ok ? [parsed.frame] : [];
  });
}
