export { logRecord } from './testing/log-record.ts'
export { sinkContract, type SinkUnderTest, type TestFunction } from './testing/sink-contract.ts'
