// What the headers of a request must say: the same as its body. spec 2026-07-28 basic/transports/streamable-http
import type { IncomingHttpHeaders } from 'node:http';
import { BridgeError } from '../errors.ts';
import { headerMismatch } from '../protocol/error-codes.ts';
import { findMethod } from '../protocol/methods.ts';
import { argumentAt } from '../protocol/modern-headers.ts';
import { paramBytes, paramString, type ModernRequest } from '../protocol/modern-request.ts';
import type { ParamHeader } from '../protocol/param-headers.ts';

const plainValue = /^[\x20-\x7e\t]*$/;
const encodedValue = /^=\?base64\?(.*)\?=$/s;

function mismatch(header: string, why: string): BridgeError {
  return new BridgeError(headerMismatch, 'header_mismatch', `Header mismatch: ${header} ${why}`, {
    status: 400,
  });
}

/** The value of a header without white space around it; undefined when it is missing. Throws on odd characters. */
function valueOf(headers: IncomingHttpHeaders, header: string): string | undefined {
  const value = headers[header.toLowerCase()];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !plainValue.test(value)) throw mismatch(header, 'has invalid characters');
  return value.trim();
}

/** Decodes the Base64 form; only its one canonical spelling counts. #value-encoding */
function decoded(header: string, value: string): string {
  const encoded = encodedValue.exec(value)?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) throw mismatch(header, 'is not valid Base64');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw mismatch(header, 'is not valid UTF-8');
  }
}

function mustBe(headers: IncomingHttpHeaders, header: string, expected: string, isEncodable: boolean): void {
  const value = valueOf(headers, header);
  if (value === undefined) throw mismatch(header, 'is missing');
  if ((isEncodable ? decoded(header, value) : value) !== expected)
    throw mismatch(header, 'differs from the body');
}

/** Throws -32020 with HTTP 400 unless the standard headers say what the body says. #server-validation */
export function checkStandardHeaders(headers: IncomingHttpHeaders, request: ModernRequest): void {
  mustBe(headers, 'MCP-Protocol-Version', request.version, false);
  mustBe(headers, 'Mcp-Method', request.method, false);
  const nameParam = findMethod(request.method, [])?.nameParam;
  const name = nameParam === undefined ? undefined : paramString(request, nameParam);
  if (name !== undefined) mustBe(headers, 'Mcp-Name', name, true);
}

/** Throws -32020 with HTTP 400 unless the annotated arguments are repeated. #custom-headers-from-tool-parameters */
export function checkParamHeaders(
  headers: IncomingHttpHeaders,
  request: ModernRequest,
  rules: readonly ParamHeader[],
): void {
  if (rules.length === 0) return;
  const bytes = paramBytes(request, 'arguments');
  const args: unknown = bytes === undefined ? {} : JSON.parse(bytes.toString('utf8'));
  for (const { path, header } of rules) {
    const value = valueOf(headers, header);
    const argument = argumentAt(args, path);
    const isExpected = argument !== undefined && argument !== null;
    if (!isExpected && value === undefined) continue;
    if (!isExpected) throw mismatch(header, 'repeats no argument');
    if (value === undefined) throw mismatch(header, 'is missing');
    if (!isEqual(argument, decoded(header, value))) throw mismatch(header, 'differs from the argument');
  }
}

/** Numbers are compared as numbers: `42.0` is 42. */
function isEqual(argument: unknown, value: string): boolean {
  if (typeof argument === 'number') return /^-?\d+(?:\.\d+)?$/.test(value) && Number(value) === argument;
  return String(argument) === value && typeof argument !== 'object';
}
