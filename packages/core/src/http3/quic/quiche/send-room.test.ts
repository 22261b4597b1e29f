import { describe, expect, it } from 'vitest'
import { SendRoom } from './send-room.ts'

const YARDSTICK = 3
const WINDOWS = { peerInitialMaxData: 1e6, peerInitialMaxStreamDataBidiLocal: 1e6 }
const silent = { pathStats: () => [], sendAckEliciting: () => undefined, send: () => null }

/**
 * Creates the `SendRoom` of a connection on which congestion control permits `allowed` bytes. Stream 0 has its own
 * window.
 */
function connection(allowed: number, window = Infinity, initialWindow = 1_000_000): SendRoom {
  return new SendRoom(
    {
      streamCapacity: (streamId) => {
        if (streamId === 4) throw new Error('StreamStopped(268)')
        return streamId === YARDSTICK ? allowed : Math.min(allowed, window)
      },
      stats: () => ({ peerInitialMaxData: initialWindow, peerInitialMaxStreamDataBidiLocal: initialWindow }),
      ...silent,
    },
    YARDSTICK,
  )
}

describe('SendRoom', () => {
  it('returns all wanted bytes if they fit', () => {
    expect(connection(13_500).share(0, 5000)).toBe(5000)
    expect(connection(13_500).share(0, 0)).toBe(0)
  })

  it('reserves room for the headers of packets and frames', () => {
    // The room for ten full packets and a partial one, with 64 bytes of headers each.
    expect(connection(13_500).share(0, 20_000)).toBe(13_500 - 11 * 64)
  })

  it('uses the whole window of a stream, because headers do not count against it', () => {
    expect(connection(100_000, 2000).share(0, 20_000)).toBe(2000)
  })

  it('does not grant the same room twice', () => {
    let allowed = 13_500
    const room = new SendRoom(
      {
        streamCapacity: () => allowed,
        stats: () => WINDOWS,
        ...silent,
      },
      YARDSTICK,
    )
    const first = room.share(0, 10_000)
    room.onWritten(first)
    allowed -= first
    const second = room.share(0, 10_000)
    expect(first + second).toBe(13_500 - 11 * 64)
    room.onWritten(second)
    allowed -= second
    expect(room.share(0, 10_000)).toBe(0)
    // Sending has no effect, because the rest is reserved for the headers of the sent packets.
    allowed = 13_500
    room.onReceived()
    expect(room.share(0, 10_000)).toBe(10_000)
  })

  it('waits for acknowledgments instead of sending less than a packet', () => {
    expect(connection(1000).share(0, 20_000)).toBe(0)
    expect(connection(1000).share(0, 500)).toBe(500)
  })

  it('uses all room for a peer with small windows, which can wait for it', () => {
    expect(connection(1000, 1000, 16_384).share(0, 20_000)).toBe(1000)
  })

  it('reports no room when no stream can send a packet', () => {
    let allowed = 13_500
    const capacities = {
      streamCapacity: () => allowed,
      stats: () => WINDOWS,
      ...silent,
    }
    const room = new SendRoom(capacities, YARDSTICK)
    expect(room.isFull).toBe(false)
    allowed = 1350
    expect(room.isFull).toBe(true)
    // The stream has never had more capacity, so its own small window can be the limit.
    expect(new SendRoom(capacities, YARDSTICK).isFull).toBe(false)
  })

  it('throws if the stream was stopped', () => {
    expect(() => connection(1000).share(4, 1)).toThrow('StreamStopped')
  })

  it.each<[string, number, number, number]>([
    ['a write did not fit', 13_500, 20_000, 1],
    ['all writes fit', 13_500, 5000, 0],
    ['the stream window had no room', 2000, 20_000, 0],
  ])('reports a full congestion window (count: $3) if $0', (_where, streamWindow, wanted, times) => {
    const attempts: number[] = []
    let pings = 0
    const capacities = {
      streamCapacity: (streamId: number) => Math.min(13_500, streamId === YARDSTICK ? Infinity : streamWindow),
      stats: () => WINDOWS,
      pathStats: () => [],
      sendAckEliciting: () => pings++,
      send: (packet: Uint8Array) => attempts.push(packet.byteLength),
    }
    const room = new SendRoom(capacities, YARDSTICK)
    room.onWritten(room.share(0, wanted))
    // The report occurs once per received packet, and nothing was written before the second packet.
    room.onReceived()
    room.onReceived()
    expect([pings, attempts]).toEqual([times, Array.from({ length: times }, () => 21)])
  })

  it('does not report a full congestion window if nothing was written', () => {
    let pings = 0
    const capacities = { streamCapacity: () => 1000, stats: () => WINDOWS, ...silent, sendAckEliciting: () => pings++ }
    const room = new SendRoom(capacities, YARDSTICK)
    expect(room.share(0, 20_000)).toBe(0)
    room.onReceived()
    expect(pings).toBe(0)
  })

  it('uses half of the room during recovery, but at least one packet', () => {
    let allowed = 13_500
    const path = { lost: 1, cwnd: 13_500, sentBytes: 20_000 }
    const capacities = { streamCapacity: () => allowed, stats: () => WINDOWS, ...silent, pathStats: () => [path] }
    const room = new SendRoom(capacities, YARDSTICK)
    expect(room.share(0, 20_000)).toBe(6750 - 6 * 64)
    allowed = 2700
    room.onReceived()
    expect([room.share(0, 20_000), room.isFull]).toEqual([1350 - 64, false])
    allowed = 13_500
    path.sentBytes = 33_500
    room.onReceived()
    expect(room.share(0, 20_000)).toBe(13_500 - 11 * 64)
  })
})
