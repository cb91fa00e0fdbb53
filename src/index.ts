// What the package offers as a library: the bridge, its faces, and the ways to a server. Names that are not here may
// change.
export { Bridge, type BridgeParts } from './bridge/bridge.ts';
export { bridgeDefaults, toStaticRoots, type BridgeOptions } from './bridge/options.ts';
export { createKeyRing, parseKeyRing, type KeyRing } from './continuation/key-ring.ts';
export { HttpFace, type HttpFaceOptions } from './faces/http.ts';
export type { HttpLegacyOptions } from './faces/http-legacy.ts';
export { httpFaceDefaults, type HttpFaceLimits } from './faces/http-limits.ts';
export { Tokens, parseTokens } from './faces/http-tokens.ts';
export { StdioFace } from './faces/stdio.ts';
export { silentLogger, type Logger } from './log.ts';
export { RelayedSession, type OpenRelay, type RelayOptions } from './relay/relayed-session.ts';
export {
  createOAuthCredentials,
  createProviderCredentials,
  type OAuthOptions,
  type ProviderOptions,
} from './oauth/credentials.ts';
export { fileStore, memoryStore, type AuthorizationStore } from './oauth/token-file.ts';
export { combine, noCredentials, type Challenge, type Credentials } from './upstream/credentials.ts';
export { fileHeaders, fixedHeaders, parseHeaderFile, parseHeaderLines } from './upstream/header-lines.ts';
export { createHttpUpstream, type HttpUpstreamOptions } from './upstream/http.ts';
export type { Link, LinkHandlers, Upstream } from './upstream/port.ts';
export { createStdioUpstream, type StdioUpstreamOptions } from './upstream/stdio.ts';
export { createWebSocketUpstream, type WebSocketUpstreamOptions } from './upstream/websocket.ts';
export { systemClock, type Clock } from './clock.ts';
