import { describe, expect, it } from 'vitest'
import { SEND } from './send.ts'
import { ROWS, type Version } from './table.ts'

// One request has one status code on every protocol (docs/decisions/0104).
describe.each(Object.keys(SEND) as Version[])('a request over %s', (version) => {
  it.each(ROWS)('receives $status: $what', async ({ request, status, limits = {}, ...row }) => {
    const differs = row.except?.versions.includes(version) === true ? row.except : undefined
    const { isMalformed, seen } = differs ?? row
    const result = await SEND[version](request, limits)
    expect(result).toMatchObject({ status: differs?.status ?? status, ...(seen === undefined ? {} : { seen }) })
    expect(result.ends).toBe(endOf(version, result.status, isMalformed))
  })
})

/** HTTP/1.1 closes the connection after every request that it rejects. */
function endOf(version: Version, status: number, isMalformed: true | undefined): 'connection' | 'stream' | undefined {
  if (status === 200) return undefined
  if (version === 'HTTP/1.1') return 'connection'
  return isMalformed === true ? 'stream' : undefined
}
