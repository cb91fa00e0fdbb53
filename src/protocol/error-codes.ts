// JSON-RPC and MCP error codes. spec 2026-07-28 basic/index#error-codes

export const parseError = -32700;
export const invalidRequest = -32600;
export const methodNotFound = -32601;
export const invalidParams = -32602;
export const internalError = -32603;
export const headerMismatch = -32020;
export const missingClientCapability = -32021;
export const unsupportedVersion = -32022;

/** 2025-11-25 and earlier; a modern server must not send it. */
export const legacyResourceNotFound = -32002;

/** The errors by which a modern server makes itself known to whoever does not speak its era. */
export function isModernCode(code: unknown): boolean {
  return code === headerMismatch || code === missingClientCapability || code === unsupportedVersion;
}

/** -32020 … -32099 have the meanings that the specification gives them, and no other. */
export function isReserved(code: number): boolean {
  return code <= -32020 && code >= -32099;
}
