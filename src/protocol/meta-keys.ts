// Keys of `_meta`. spec 2026-07-28 basic/index#meta

/** The protocol's own keys: they belong to one era and never cross to the other. */
export const metaPrefix = 'io.modelcontextprotocol/';
export const serverInfoKey = `${metaPrefix}serverInfo`;
export const subscriptionIdKey = `${metaPrefix}subscriptionId`;

/** The extension by which modern clients have tasks. */
export const tasksExtension = `${metaPrefix}tasks`;

/** Which task of 2025-11-25 a message belongs to. */
export const relatedTaskKey = `${metaPrefix}related-task`;

/** A legacy server may name the key under which its question is shown. */
export const inputKeyKey = 'mcp-bridge/inputKey';
