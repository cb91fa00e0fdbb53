// Published legacy servers and clients to try the bridge with, at exact versions, each in a folder of its own.
import { join } from 'node:path';
import { install } from '../../support/pinned.js';

const sdk = '@modelcontextprotocol/sdk';
const everything = '@modelcontextprotocol/server-everything';

/** Folder name: dependencies, and overrides that give an old server the SDK of its time. */
const packages = {
  'everything-0.6.2': [{ [everything]: '0.6.2' }, { [sdk]: '1.0.1' }],
  'everything-2025.8.18': [{ [everything]: '2025.8.18' }, { [sdk]: '1.17.4' }],
  'everything-2026.1.26': [{ [everything]: '2026.1.26' }],
  'everything-2026.8.31': [{ [everything]: '2026.8.31' }],
  filesystem: [{ '@modelcontextprotocol/server-filesystem': '2026.8.31' }],
  memory: [{ '@modelcontextprotocol/server-memory': '2026.8.31' }],
  mongodb: [{ 'mongodb-mcp-server': '2.1.1' }],
  shrimp: [{ 'mcp-shrimp-task-manager': '1.0.21' }],
  // The plain binary; the package that chooses between platforms is not on every registry.
  cortex: [{ '@temporal-cortex/cortex-mcp-linux-x64': '0.9.1' }],
  fastmcp: [{ fastmcp: '3.35.0' }],
  supergateway: [{ supergateway: '4.0.0' }],
  inspector: [{ '@modelcontextprotocol/inspector': '2.12.0' }],
};

/** Installs one of them if need be, and returns its node_modules. */
export function modulesOf(name) {
  const [dependencies, overrides] = packages[name];
  return join(install(name, dependencies, overrides), 'node_modules');
}

export const names = Object.keys(packages);
