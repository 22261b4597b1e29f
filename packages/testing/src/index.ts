export { newTestCertificate, type TestCertificate, testCertificate } from './certificate.ts'
export { type ChromiumOptions, findChromium, launchChromium } from './chromium.ts'
export { closed } from './closed.ts'
export type {
  ClientRequest,
  ClientResponse,
  ConnectOptions,
  ProtocolClient,
  TestField,
  TestProtocol,
} from './client.ts'
export { connect, connectH3 } from './connect.ts'
export {
  type EachProtocolOptions,
  type RunningServer,
  type ServerDemand,
  TEST_PROTOCOLS,
  eachProtocol,
} from './each-protocol.ts'
export { everySplit } from './every-split.ts'
export { fuzzSuite } from './fuzz/suite.ts'
export { freePort } from './free-port.ts'
export { type ConnectH1Options, connectH1 } from './h1-client.ts'
export { type ConnectH2Options, connectH2 } from './h2-client.ts'
export { type ParsedResponse, parseResponses } from './parse-responses.ts'
export { type RawOptions, type RawResult, rawExchange } from './raw-exchange.ts'
export { type ReadmeOptions, runReadme } from './readme.ts'
export { namesEveryExport } from './readme-names.ts'
export { type PageTypesOptions, type TypedPage, checkPageTypes } from './page/check-page-types.ts'
export { pageBlocks } from './page/page-blocks.ts'
export { type PageOptions, runPage } from './page/run-page.ts'
export { IncompleteResponse, MalformedResponse } from './response-error.ts'
export { type TempFolder, tempFolder } from './temp-folder.ts'
export { settle } from './settle.ts'
export { sharedCaseFile, sharedCases } from './shared-cases.ts'
