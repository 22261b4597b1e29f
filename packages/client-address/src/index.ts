export { believedAddress, claimedAddress, peerAddress, UNIX_SOCKET, type FieldSource } from './client-address.ts'
export {
  compileTrust,
  type ForwardingHeader,
  type NamedField,
  type Trust,
  type TrustedProxies,
  type TrustProxy,
} from './trusted-proxies.ts'
