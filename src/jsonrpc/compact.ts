// JSON text without the white space between its tokens, so that texts can be compared by what they say. Numbers and
// strings keep their spelling: nothing is rounded.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** `bytes` must be valid JSON. */
export function compact(bytes: Buffer): Buffer {
  const out = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (!isInString && byte <= 0x20) continue;
    out[length] = byte;
    length += 1;
    if (byte === QUOTE) isInString = !isInString;
    else if (byte === BACKSLASH) {
      at += 1;
      out[length] = bytes[at] as number;
      length += 1;
    }
  }
  return out.subarray(0, length);
}
