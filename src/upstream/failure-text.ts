// What went wrong with a server at a URL, in words that are fit to be shown: no addresses, no paths, nothing of its own.

/** A connection that could not be made, or broke. Only the code counts, as messages hold addresses and paths. */
export function failureText(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code)
    ? `the connection failed (${code})`
    : 'the connection failed';
}

/** A request that was answered with another status than 2xx. */
export function refusalText(status: number): string {
  if (status === 401 || status === 403)
    return `the server does not accept the bridge's credentials (HTTP ${String(status)})`;
  if (status >= 300 && status < 400) return 'the server sends elsewhere, and the bridge does not go there';
  return `the server answered HTTP ${String(status)}`;
}
