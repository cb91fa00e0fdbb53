// Lists in memory, page by page, for servers that promise to say when a list has changed. A list that was asked for
// before the change is not kept after it. spec 2026-07-28 server/utilities/caching
import type { ServerProfile } from '../protocol/server-profile.ts';

type ListFamily = keyof ServerProfile['listChanged'];

/** Which promise a list method hangs on. */
export function familyOf(method: string): ListFamily {
  if (method.startsWith('tools/')) return 'tools';
  return method.startsWith('prompts/') ? 'prompts' : 'resources';
}

/** Together for all pages; a server with more is asked each time. */
const maxCachedBytes = 32 * 1024 * 1024;

export class ListCache {
  private readonly pages = new Map<string, { readonly family: ListFamily; readonly body: Buffer }>();
  private readonly generations: Record<ListFamily, number> = { tools: 0, prompts: 0, resources: 0 };
  private sizeBytes = 0;

  /** Marks the time of asking; a page is only kept if nothing has changed since. */
  generation(family: ListFamily): number {
    return this.generations[family];
  }

  find(key: string): Buffer | undefined {
    return this.pages.get(key)?.body;
  }

  keep(key: string, family: ListFamily, generation: number, body: Buffer): void {
    if (generation !== this.generations[family]) return;
    this.drop(key);
    // The key has a cursor in it, which is the client's word.
    const bytes = body.length + key.length;
    if (this.sizeBytes + bytes > maxCachedBytes) return;
    this.sizeBytes += bytes;
    this.pages.set(key, { family, body });
  }

  /** The server said that these lists have changed. */
  invalidate(family: ListFamily): void {
    this.generations[family] += 1;
    for (const [key, page] of this.pages) if (page.family === family) this.drop(key);
  }

  private drop(key: string): void {
    const page = this.pages.get(key);
    if (page === undefined) return;
    this.sizeBytes -= page.body.length + key.length;
    this.pages.delete(key);
  }

  /** The session was replaced: whatever changed in between was missed. */
  invalidateAll(): void {
    for (const family of ['tools', 'prompts', 'resources'] as const) this.invalidate(family);
  }
}
