// Knows which tools have parameters that HTTP clients must repeat in headers. Learns from every tools/list that passes,
// and asks once by itself when a call comes before any list.
import { find, stringMember, text, toBytes, valueOf, type Chunks, type Frame } from '../jsonrpc/frame.ts';
import { elementsOf, membersOf, startsWith } from '../jsonrpc/scan.ts';
import type { Clock } from '../clock.ts';
import { entry, toObject } from '../jsonrpc/object-edit.ts';
import { metaPrefix } from '../protocol/meta-keys.ts';
import { modernVersion } from '../protocol/versions.ts';
import { paramHeadersOf, type ParamHeader } from '../protocol/param-headers.ts';
import type { ModernRequest } from '../protocol/modern-request.ts';
import type { Session } from '../session/session.ts';
import { ask } from './own-request.ts';

const annotation = text('"x-mcp-header"');
const none: readonly ParamHeader[] = [];
/** What a modern server is told with a request of the bridge's own. */
const ownMetadata = toBytes({
  [`${metaPrefix}protocolVersion`]: modernVersion,
  [`${metaPrefix}clientCapabilities`]: {},
});
const ownLines = { 'mcp-protocol-version': modernVersion, 'mcp-method': 'tools/list' };
/** A list that does not come holds no call up for longer; the headers are then not checked. */
const patienceMs = 5000;
const maxPages = 100;

export class ToolHeaders {
  private readonly clock: Clock;
  private byTool = new Map<string, readonly ParamHeader[]>();
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
   * The annotated parameters of a tool; asks the server for its tools first if nobody has, on the session that `next`
   * gives if this one goes meanwhile.
   */
  of(
    tool: string,
    session: Session,
    next: () => Promise<Session>,
  ): readonly ParamHeader[] | Promise<readonly ParamHeader[]> {
    const known = (): readonly ParamHeader[] => this.byTool.get(tool) ?? none;
    if (this.isKnown) return known();
    this.asking ??= this.ask(session, next).finally(() => {
      this.asking = undefined;
    });
    return this.asking.then(known);
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
    if (tools === undefined || !startsWith(bytes, tools, '[') || !bytes.includes(annotation)) return;
    for (const tool of elementsOf(bytes, tools)) {
      if (!startsWith(bytes, tool, '{')) continue;
      const parts = membersOf(bytes, tool);
      const name = stringMember(bytes, parts, 'name');
      const schema = find(parts, 'inputSchema');
      if (name === undefined || schema === undefined) continue;
      this.byTool.set(name, paramHeadersOf(valueOf(bytes, schema)));
    }
  }
}

function nextCursor(frame: Frame): Buffer | undefined {
  const cursor = stringMember(frame.bytes, find(frame.members, 'result')?.members, 'nextCursor');
  return cursor === undefined ? undefined : toBytes(cursor);
}
