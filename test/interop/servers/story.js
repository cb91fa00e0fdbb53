// A published server, used by the official client through the bridge: the same story over either face, in either mode.
import { expect } from 'vitest';
import { callText, connect, faces, modes } from '../bridged.js';

/** Every face with every mode of the client. */
export const combinations = faces.flatMap((face) => Object.keys(modes).map((mode) => [face, mode]));

/** Connects, runs the story, and ends both sides whatever comes of it. `server` is a command or a URL. */
export async function story([face, mode], server, run, options = {}) {
  const { client, end } = await connect(face, server, modes[mode], options);
  try {
    const seen = [];
    const onprogress = ({ progress }) => seen.push(progress);
    await run({ client, seen, call: (name, args) => callText(client, name, args, { onprogress }) });
  } finally {
    await end();
  }
}

/** What server-everything 2026.8.31 has, asked of it however it is reached. */
export async function visitEverything({ client, call }) {
  expect((await client.listTools()).tools).toHaveLength(17);
  expect(await call('trigger-elicitation-request', {})).toContain('User provided');
  const url = { url: 'https://example.test/', message: 'm', elicitationId: 'e' };
  expect(await call('trigger-url-elicitation', url)).toMatch(/accept|complet/i);
  // As an error, too: then the call is run again when the URL has been opened.
  expect(await call('trigger-url-elicitation', { ...url, errorPath: true })).toMatch(/accept|complet/i);
  expect(await call('trigger-sampling-request', { prompt: 'p', maxTokens: 5 })).toContain('Paris');
  expect(await call('get-roots-list', {})).toContain('file:///interop');
  expect((await client.listResources()).resources.length).toBeGreaterThan(0);
}

/** It asks for the roots once, a third of a second after the handshake, whether or not a call is there to be asked. */
export const withRoots = { options: ['--root', 'file:///interop'] };
