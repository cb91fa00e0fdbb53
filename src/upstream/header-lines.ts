// Header lines that the user gives for a server: on the command line, or in a file that may change while the bridge runs.
import type { Challenge, Credentials, HeaderLines } from './credentials.ts';

const line = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/;
/** What the transports say themselves. */
const reserved =
  /^(?:accept|accept-encoding|connection|content-encoding|content-length|content-type|expect|keep-alive|last-event-id|mcp-protocol-version|mcp-session-id|proxy-.*|sec-websocket-.*|te|trailer|transfer-encoding|upgrade)$/;

/** `Name: value` lines as a record of lower-case names. Throws an Error that says what would be right. */
export function parseHeaderLines(lines: readonly string[]): HeaderLines {
  const parsed: Record<string, string> = {};
  for (const each of lines) {
    const [, name, value] = line.exec(each) ?? [];
    if (name === undefined || value === undefined)
      throw new Error('a header is like "Name: value", on one line');
    if (reserved.test(name.toLowerCase())) throw new Error(`the header ${name} is set by the bridge itself`);
    parsed[name.toLowerCase()] = value;
  }
  return parsed;
}

/** A file of such lines; empty lines and those that begin with # are left out. */
export function parseHeaderFile(text: string): HeaderLines {
  return parseHeaderLines(text.split(/\r?\n/).filter((each) => each.trim() !== '' && !each.startsWith('#')));
}

/** Lines that stay what they are. */
export function fixedHeaders(lines: HeaderLines): Credentials {
  return { headers: () => lines, renew: () => Promise.resolve(false) };
}

/** Lines of a file, read again when the server refuses them. `read` throws where it cannot. */
export function fileHeaders(read: () => HeaderLines): Credentials {
  let lines = read();
  return {
    headers: () => lines,
    renew: ({ status }: Challenge) => {
      if (status !== 401) return Promise.resolve(false);
      try {
        const fresh = read();
        if (JSON.stringify(fresh) === JSON.stringify(lines)) return Promise.resolve(false);
        lines = fresh;
        return Promise.resolve(true);
      } catch {
        // Half written, or gone for a moment: what was read last still counts.
        return Promise.resolve(false);
      }
    },
  };
}
