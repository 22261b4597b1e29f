export { believedAddress, claimedAddress, peerAddress, UNIX_SOCKET, type FieldSource } from './client-address.ts'
export { forwardedOrigin, type ForwardedOrigin } from './forwarded-origin.ts'
export {
  compileTrust,
  type ForwardingHeader,
  type NamedField,
  type OriginPart,
  type Trust,
  type TrustedProxies,
  type TrustProxy,
} from './trusted-proxies.ts'
