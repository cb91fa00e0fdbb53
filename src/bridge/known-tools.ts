// What has to be known of a tool before it is called: which parameters HTTP clients must repeat in headers, and whether
// it runs as a task. Learns from every tools/list that passes, and asks once by itself when a call comes before any list.
import { find, stringMember, text, toBytes, valueOf, type Chunks, type Frame } from '../jsonrpc/frame.ts';
import { elementsOf, membersOf, startsWith, type Span } from '../jsonrpc/scan.ts';
import type { Clock } from '../clock.ts';
import { entry, toObject } from '../jsonrpc/object-edit.ts';
import { metaPrefix } from '../protocol/meta-keys.ts';
import { modernVersion } from '../protocol/versions.ts';
import { paramHeadersOf, type ParamHeader } from '../protocol/param-headers.ts';
import type { ModernRequest } from '../protocol/modern-request.ts';
import type { Session } from '../session/session.ts';
import { ask } from './own-request.ts';

const annotation = text('"x-mcp-header"');
export interface ToolTraits {
  readonly headers: readonly ParamHeader[];
  /** spec 2025-11-25 basic/utilities/tasks#tool-level-negotiation */
  readonly taskSupport: 'required' | 'optional' | 'forbidden';
}

const noTraits: ToolTraits = { headers: [], taskSupport: 'forbidden' };
const taskSupport = text('"taskSupport"');
/** What a modern server is told with a request of the bridge's own. */
const ownMetadata = toBytes({
  [`${metaPrefix}protocolVersion`]: modernVersion,
  [`${metaPrefix}clientCapabilities`]: {},
});
const ownLines = { 'mcp-protocol-version': modernVersion, 'mcp-method': 'tools/list' };
/** A list that does not come holds no call up for longer; the headers are then not checked. */
const patienceMs = 5000;
const maxPages = 100;

export class KnownTools {
  private readonly clock: Clock;
  private byTool = new Map<string, ToolTraits>();
  private isKnown = false;
  private asking: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** A tools/list has passed. Only a list from its start says that the tools are known. */
  learn(frame: Frame, request: ModernRequest): void {
    const isFirstPage = find(request.params.members, 'cursor') === undefined;
    this.read(frame, isFirstPage);
    if (isFirstPage && nextCursor(frame) === undefined) this.isKnown = true;
  }

  /** The tools have changed, or the session that listed them is gone. */
  forget(): void {
    this.isKnown = false;
  }

  /**
   * What is known of a tool; asks the server for its tools first if nobody has, on the session that `next`
   * gives if this one goes meanwhile.
   */
  of(tool: string, session: Session, next: () => Promise<Session>): ToolTraits | Promise<ToolTraits> {
    const known = (): ToolTraits => this.byTool.get(tool) ?? noTraits;
    if (this.isKnown) return known();
    this.asking ??= this.ask(session, next).finally(() => {
      this.asking = undefined;
    });
    return this.asking.then(known);
  }

  /** The same of its annotated parameters alone. */
  headersOf(
    tool: string,
    session: Session,
    next: () => Promise<Session>,
  ): readonly ParamHeader[] | Promise<readonly ParamHeader[]> {
    const traits = this.of(tool, session, next);
    return traits instanceof Promise ? traits.then(({ headers }) => headers) : traits.headers;
  }

  private async ask(session: Session, next: () => Promise<Session>): Promise<void> {
    this.isKnown = (await this.askAll(session)) || (await this.askAll(await next()));
  }

  /** False when the session has gone meanwhile. */
  private async askAll(session: Session): Promise<boolean> {
    let cursor: Buffer | undefined;
    for (let page = 0; page < maxPages; page += 1) {
      const frame = await this.askPage(session, cursor);
      if (frame === 'lost') return false;
      if (frame === 'late') break;
      this.read(frame, page === 0);
      cursor = nextCursor(frame);
      if (cursor === undefined) break;
    }
    return true;
  }

  private askPage(session: Session, cursor: Buffer | undefined): Promise<Frame | 'late' | 'lost'> {
    const members = cursor === undefined ? [] : [entry('cursor', [cursor])];
    if (session.isModern) members.push(entry('_meta', [ownMetadata]));
    const params = toObject(members);
    const build = (id: number): Chunks => [
      text(`{"jsonrpc":"2.0","id":${String(id)},"method":"tools/list","params":`),
      ...params,
      text('}'),
    ];
    return ask(session, build, { clock: this.clock, patienceMs, lines: ownLines });
  }

  private read({ bytes, members }: Frame, isFirstPage: boolean): void {
    if (isFirstPage) this.byTool = new Map();
    const tools = find(find(members, 'result')?.members, 'tools');
    // Most servers have none, and then their schemas need not be read.
    if (tools === undefined || !startsWith(bytes, tools, '[')) return;
    if (!bytes.includes(annotation) && !bytes.includes(taskSupport)) return;
    for (const tool of elementsOf(bytes, tools)) {
      if (!startsWith(bytes, tool, '{')) continue;
      const parts = membersOf(bytes, tool);
      const name = stringMember(bytes, parts, 'name');
      const schema = find(parts, 'inputSchema');
      if (name === undefined || schema === undefined) continue;
      const headers = paramHeadersOf(valueOf(bytes, schema));
      this.byTool.set(name, { headers, taskSupport: taskSupportOf(bytes, find(parts, 'execution')) });
    }
  }
}

function taskSupportOf(bytes: Buffer, execution: Span | undefined): ToolTraits['taskSupport'] {
  if (execution === undefined || !startsWith(bytes, execution, '{')) return 'forbidden';
  const support = stringMember(bytes, membersOf(bytes, execution), 'taskSupport');
  return support === 'required' || support === 'optional' ? support : 'forbidden';
}

function nextCursor(frame: Frame): Buffer | undefined {
  const cursor = stringMember(frame.bytes, find(frame.members, 'result')?.members, 'nextCursor');
  return cursor === undefined ? undefined : toBytes(cursor);
}
