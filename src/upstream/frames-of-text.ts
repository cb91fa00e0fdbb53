// The frames of one piece of JSON text that a server sent: a line, a body, an event. One as a rule, several where the
// server speaks 2025-03-26 and batches.
import { parseBatch } from '../jsonrpc/batch.ts';
import { join, parsePieces, type Chunks, type Frame } from '../jsonrpc/frame.ts';

/** Empty when the text is not JSON-RPC at all: banners, log lines, package runners' notices. Takes the bytes over. */
export function framesOfText(pieces: Chunks): readonly Frame[] {
  const parsed = parsePieces(pieces);
  if (parsed.ok) return [parsed.frame];
  if (parsed.reason !== 'batch') return [];
  return (parseBatch(join(pieces)) ?? []).flatMap((element) => (element.ok ? [element.frame] : []));
}
