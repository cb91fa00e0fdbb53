// The environment of a legacy server: a short list of harmless names, and what the user passes on. The bridge's own
// settings, its keys among them, never reach a child.

const passedOn = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'TZ', 'TMPDIR'],
  ...[
    'APPDATA',
    'HOMEDRIVE',
    'HOMEPATH',
    'LOCALAPPDATA',
    'PATHEXT',
    'PROGRAMFILES',
    'SYSTEMDRIVE',
    'SYSTEMROOT',
  ],
  ...['TEMP', 'TMP', 'USERNAME', 'USERPROFILE', 'WINDIR'],
];
const own = /^MCP_BRIDGE_/i;

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ChildEnvOptions {
  /** `NAME` takes the value from the bridge's own environment, `NAME=VALUE` sets it. */
  readonly env: readonly string[];
  /** Pass everything on but the bridge's own settings. */
  readonly inheritEnv: boolean;
}

export function childEnv(environment: Environment, options: ChildEnvOptions): Record<string, string> {
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    const isPassedOn = options.inheritEnv || passedOn.includes(name.toUpperCase()) || name.startsWith('LC_');
    if (value !== undefined && isPassedOn && !own.test(name)) child[name] = value;
  }
  for (const entry of options.env) {
    const equals = entry.indexOf('=');
    const name = equals === -1 ? entry : entry.slice(0, equals);
    const value = equals === -1 ? environment[name] : entry.slice(equals + 1);
    if (value !== undefined && !own.test(name)) child[name] = value;
  }
  return child;
}
