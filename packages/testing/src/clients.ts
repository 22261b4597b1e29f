// The protocol clients without the code that needs a test runner, for programs.
export type { ClientRequest, ClientResponse, ConnectOptions, ProtocolClient } from './client.ts'
export { connect } from './connect.ts'
