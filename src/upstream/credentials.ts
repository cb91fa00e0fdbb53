// What a server wants to see with every request, behind a small port: header lines, and a way to others when it
// refuses them. They go to the server's own origin and nowhere else.

export type HeaderLines = Readonly<Record<string, string>>;

/** What a server said when it refused the credentials. */
export interface Challenge {
  readonly status: 401 | 403;
  /** `WWW-Authenticate`, as it came: hostile until parsed. */
  readonly wwwAuthenticate: string | undefined;
}

export interface Credentials {
  /** The lines of now: the same object as long as nothing has changed. */
  headers(): HeaderLines;
  /**
   * The server has refused the lines of now. Resolves to whether others are at hand; it is not called again before.
   * Never rejects.
   */
  renew(challenge: Challenge): Promise<boolean>;
}

const noLines: HeaderLines = {};

/** Nothing to show, and nothing to be had. */
export const noCredentials: Credentials = {
  headers: () => noLines,
  renew: () => Promise.resolve(false),
};

/** Several together; of lines of one name the later one counts. The first that has others at hand is enough. */
export function combine(...all: readonly Credentials[]): Credentials {
  let seen: readonly HeaderLines[] = [];
  let merged: HeaderLines = {};
  return {
    headers: () => {
      const lines = all.map((each) => each.headers());
      if (lines.some((each, index) => each !== seen[index])) {
        seen = lines;
        merged = Object.assign({}, ...lines) as HeaderLines;
      }
      return merged;
    },
    renew: async (challenge) => {
      for (const each of all) if (await each.renew(challenge)) return true;
      return false;
    },
  };
}
