export { believedAddress, claimedAddress, peerAddress, type FieldSource } from './client-address.ts'
export {
  compileTrust,
  type ForwardingHeader,
  type Trust,
  type TrustedProxies,
  type TrustProxy,
} from './trusted-proxies.ts'
