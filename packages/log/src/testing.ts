export { logRecord } from './testing/log-record.ts'
export { sinkContract } from './testing/sink-contract.ts'
export type { SinkUnderTest, TestFunction } from './testing/sink-under-test.ts'
