// The protocol revisions this bridge stands between. spec 2026-07-28 basic/versioning#terminology

/** What the face serves. */
export const modernVersion = '2026-07-28';
export const servedVersions: readonly string[] = [modernVersion];

/** What a legacy server may speak, newest first. */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export type LegacyVersion = (typeof legacyVersions)[number];
/** What a session may be of: that of a modern server has no handshake and no state. */
export type SessionVersion = LegacyVersion | typeof modernVersion;

export function isLegacyVersion(version: unknown): version is LegacyVersion {
  return legacyVersions.some((known) => known === version);
}

/** Up to 2025-06-18 the content of a sampling answer is one block, never a list. */
export function takesContentList(version: SessionVersion): boolean {
  return version === '2025-11-25';
}

/** Up to 2025-03-26 several messages may come in one array. */
export function takesBatches(version: string | undefined): boolean {
  return version === '2025-03-26' || version === '2024-11-05';
}

/** Whether that is a revision without sessions, one to come included. */
export function isModernVersion(version: string): boolean {
  return /^20\d\d-\d\d-\d\d$/.test(version) && version >= modernVersion;
}
