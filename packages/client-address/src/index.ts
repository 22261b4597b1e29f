export { believedAddress, claimedAddress, peerAddress, type FieldSource } from './client-address.ts'
export { compileTrust, type IsTrusted, type TrustProxy } from './trusted-proxies.ts'
