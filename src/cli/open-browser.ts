// Leads the user to a URL: it is printed, and opened where there is a browser.
import { spawn } from 'node:child_process';
import type { Environment } from './child-env.ts';

/** Clients start a process to look what it speaks and end it at once; that one must open nothing. */
const patienceMs = 1500;

export function showUrl(url: URL, host: string, environment: Environment): void {
  process.stderr.write(`To let the bridge use ${host}, open this URL in a browser:\n${url.href}\n`);
  const command = browserCommand(environment);
  if (command === undefined) return;
  setTimeout(() => {
    const [name, ...args] = command;
    if (name === undefined) return;
    const child = spawn(name, [...args, url.href], { stdio: 'ignore', detached: true });
    // The URL was printed: whoever has no such program opens it by hand.
    child.on('error', () => undefined);
    child.unref();
  }, patienceMs).unref();
}

function browserCommand(environment: Environment): readonly string[] | undefined {
  const own = environment['BROWSER'];
  if (own !== undefined && own !== '') return own.split(' ');
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const hasDisplay = environment['DISPLAY'] !== undefined || environment['WAYLAND_DISPLAY'] !== undefined;
  return hasDisplay ? ['xdg-open'] : undefined;
}
