// Whether, and after how long, a stream is opened again: what the server asked for, and longer each time that it was in vain.

const firstMs = 1000;
const longestMs = 30_000;
/** What a server may ask for. */
const longestAskedMs = 600_000;

/** `vainCount`: how often in a row it was opened and brought nothing. */
export function retryDelayMs(askedMs: number | undefined, vainCount: number): number {
  const baseMs = Math.min(askedMs ?? firstMs, longestAskedMs);
  return Math.max(baseMs, Math.min(baseMs * 2 ** vainCount, longestMs));
}

/** Whether a stream that was refused with that status is worth another try. */
export function mayComeLater(status: number): boolean {
  return status >= 500 || status === 409 || status === 429;
}
