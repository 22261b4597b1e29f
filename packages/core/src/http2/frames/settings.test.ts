import { describe, expect, it } from 'vitest'
import { Setting, settings } from '../../../test/http2/frames.ts'
import { DEFAULT_LIMITS } from '../../options/limits.ts'
import { FRAME_HEAD_BYTES } from './frame-types.ts'
import { ClientSettings, serverSettings } from './settings.ts'

function read(...entries: readonly (readonly [id: number, value: number])[]): ClientSettings {
  const client = new ClientSettings()
  const wire = settings(...entries)
  client.read(wire, FRAME_HEAD_BYTES, wire.length)
  return client
}

describe('ClientSettings', () => {
  it('starts with the defaults from RFC 9113 §6.5.2', () => {
    expect(read()).toEqual({
      headerTableBytes: 4096,
      initialWindow: 65_535,
      maxFrameBytes: 16_384,
      maxConcurrentStreams: Infinity,
    })
  })

  it('applies the last value of each setting and ignores unknown settings', () => {
    const client = read(
      [Setting.INITIAL_WINDOW_SIZE, 1],
      [Setting.HEADER_TABLE_SIZE, 0],
      [0xfafa, 7],
      [Setting.INITIAL_WINDOW_SIZE, 2],
    )
    expect(client).toMatchObject({ initialWindow: 2, headerTableBytes: 0 })
  })

  it.each([
    [Setting.ENABLE_PUSH, 2, 1],
    [Setting.INITIAL_WINDOW_SIZE, 2 ** 31, 3],
    [Setting.MAX_FRAME_SIZE, 16_383, 1],
    [Setting.MAX_FRAME_SIZE, 2 ** 24, 1],
  ])('rejects setting %i with value %i', (setting, value, code) => {
    expect(() => read([setting, value])).toThrow(expect.objectContaining({ code }))
  })

  it.each([
    [Setting.ENABLE_PUSH, 1],
    [Setting.INITIAL_WINDOW_SIZE, 2 ** 31 - 1],
    [Setting.MAX_FRAME_SIZE, 16_384],
    [Setting.MAX_FRAME_SIZE, 2 ** 24 - 1],
  ])('accepts setting %i with value %i', (setting, value) => {
    expect(() => read([setting, value])).not.toThrow()
  })

  it('returns the smallest table size in a frame once (RFC 7541 §4.2)', () => {
    const client = read([1, 0], [1, 2000])
    expect([client.headerTableBytes, client.takeMinTableBytes()]).toEqual([2000, 0])
    expect(client.takeMinTableBytes()).toBe(2000)
  })

  it('rejects a payload whose length is not a multiple of 6', () => {
    expect(() => new ClientSettings().read(Buffer.alloc(7), 0, 7)).toThrow(expect.objectContaining({ code: 6 }))
  })
})

it("announces the server's limits", () => {
  const payload = serverSettings({ ...DEFAULT_LIMITS, maxConcurrentStreams: 7, maxHeadBytes: 1000 })
  const announced = new Map<number, number>()
  for (let at = 0; at < payload.length; at += 6) announced.set(payload.readUInt16BE(at), payload.readUInt32BE(at + 2))
  expect(announced).toEqual(
    new Map([
      [Setting.ENABLE_PUSH, 0],
      [Setting.MAX_CONCURRENT_STREAMS, 7],
      [Setting.MAX_HEADER_LIST_SIZE, 1000],
      [Setting.NO_RFC7540_PRIORITIES, 1],
    ]),
  )
})
