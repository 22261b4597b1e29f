export { believedAddress, claimedAddress, peerAddress, UNIX_SOCKET, type FieldSource } from './client-address.ts'
export { forwardedOrigin, type ForwardedOrigin } from './forwarded-origin.ts'
export type { ProxyHeader, ProxySource } from './proxy-header.ts'
export { readProxyHeader } from './read-proxy-header.ts'
export {
  compileTrust,
  type ForwardingHeader,
  isCidrBlock,
  type NamedField,
  type OriginPart,
  type Trust,
  type TrustedProxies,
  type TrustProxy,
} from './trusted-proxies.ts'
