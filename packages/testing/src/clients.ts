// The protocol clients for programs, without the code that needs a test runner.
export { testCertificate } from './certificate.ts'
export type {
  ClientRequest,
  ClientResponse,
  ConnectOptions,
  ProtocolClient,
  TestField,
  TestProtocol,
} from './client.ts'
export { connect } from './connect.ts'
