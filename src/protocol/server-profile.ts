// What a legacy server said of itself in its `initialize` result.
import { find, isNull, slice, stringMember, toBytes, valueOf, type Frame } from '../jsonrpc/frame.ts';
import { editObject } from '../jsonrpc/object-edit.ts';
import { membersOf, startsWith, type Member } from '../jsonrpc/scan.ts';
import type { ServerCapability } from './methods.ts';
import { isLegacyVersion, modernVersion, type SessionVersion } from './versions.ts';

export interface ServerProfile {
  readonly version: SessionVersion;
  /** JSON text of the server's `Implementation`; a placeholder where it gave none. */
  readonly serverInfo: Buffer;
  /** The frame's bytes and, in them, the members of `capabilities`. */
  readonly bytes: Buffer;
  readonly capabilities: readonly Member[];
  /** JSON text of a string. */
  readonly instructions: Buffer | undefined;
  readonly methods: ReadonlySet<ServerCapability>;
  readonly logging: boolean;
  readonly subscribe: boolean;
  /** Whether calls of tools may run as tasks, and tasks be cancelled. spec 2025-11-25 basic/utilities/tasks */
  readonly tasks: { readonly call: boolean; readonly cancel: boolean };
  readonly listChanged: Readonly<Record<'tools' | 'prompts' | 'resources', boolean>>;
}

export type ParsedProfile =
  { readonly ok: true; readonly profile: ServerProfile } | { readonly ok: false; readonly reason: string };

const placeholder = toBytes({ name: 'unnamed legacy server', version: '0' });

/** Of a server of the modern era nothing is said beforehand: requests pass to it as they are. */
export const modernProfile: ServerProfile = {
  version: modernVersion,
  serverInfo: placeholder,
  bytes: Buffer.from('{}'),
  capabilities: [],
  instructions: undefined,
  methods: new Set(['tools', 'prompts', 'resources', 'completions'] as const),
  logging: false,
  subscribe: false,
  tasks: { call: false, cancel: false },
  listChanged: { tools: false, prompts: false, resources: false },
};

/** Reads the answer to `initialize`. A missing part is taken as "has none"; a missing version is a fault. */
export function parseInitializeResult(frame: Frame): ParsedProfile {
  const { bytes } = frame;
  const result = find(frame.members, 'result');
  if (result?.members === undefined)
    return { ok: false, reason: 'the server did not answer initialize with a result' };
  const version = stringMember(bytes, result.members, 'protocolVersion');
  if (!isLegacyVersion(version))
    return {
      ok: false,
      reason: 'the server answered initialize with no protocol version that the bridge speaks',
    };
  const capabilities = objectMembers(bytes, find(result.members, 'capabilities'));
  const has = (name: string): boolean => isPresent(bytes, find(capabilities, name));
  const tasks = version === '2025-11-25' ? tasksOf(bytes, find(capabilities, 'tasks')) : noTasks;
  const promised = (['tools', 'prompts', 'resources', 'completions'] as const).filter(has);
  const promises = (name: string, what: string): boolean =>
    isTrue(bytes, find(objectMembers(bytes, find(capabilities, name)), what));
  return {
    ok: true,
    profile: {
      version,
      serverInfo: serverInfoOf(bytes, find(result.members, 'serverInfo')),
      bytes,
      capabilities,
      instructions: stringBytes(bytes, find(result.members, 'instructions')),
      methods: new Set<ServerCapability>(tasks.call ? [...promised, 'tasks'] : promised),
      logging: has('logging'),
      subscribe: promises('resources', 'subscribe'),
      tasks,
      listChanged: {
        tools: promises('tools', 'listChanged'),
        prompts: promises('prompts', 'listChanged'),
        resources: promises('resources', 'listChanged'),
      },
    },
  };
}

const noTasks = { call: false, cancel: false };

function tasksOf(bytes: Buffer, tasks: Member | undefined): ServerProfile['tasks'] {
  const members = objectMembers(bytes, tasks);
  const requests = objectMembers(bytes, find(members, 'requests'));
  const tools = objectMembers(bytes, find(requests, 'tools'));
  return { call: isPresent(bytes, find(tools, 'call')), cancel: isPresent(bytes, find(members, 'cancel')) };
}

function objectMembers(bytes: Buffer, member: Member | undefined): readonly Member[] {
  return member !== undefined && startsWith(bytes, member, '{') ? membersOf(bytes, member) : [];
}

/** Servers write capabilities in odd ways (`true` for an object); only null and false say "no". */
export function isPresent(bytes: Buffer, member: Member | undefined): boolean {
  return member !== undefined && !isNull(bytes, member) && bytes[member.start] !== 0x66;
}

function isTrue(bytes: Buffer, member: Member | undefined): boolean {
  return member !== undefined && valueOf(bytes, member) === true;
}

function stringBytes(bytes: Buffer, member: Member | undefined): Buffer | undefined {
  return member !== undefined && startsWith(bytes, member, '"') ? slice(bytes, member) : undefined;
}

function serverInfoOf(bytes: Buffer, member: Member | undefined): Buffer {
  const members = objectMembers(bytes, member);
  const isNamed = ['name', 'version'].every((key) => stringMember(bytes, members, key) !== undefined);
  if (!isNamed) return placeholder;
  return Buffer.concat(editObject(bytes, members, [], (each) => (isNull(bytes, each) ? 'drop' : 'keep')));
}
