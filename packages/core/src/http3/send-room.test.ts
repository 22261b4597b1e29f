import { describe, expect, it } from 'vitest'
import { SendRoom } from './send-room.ts'

const YARDSTICK = 3

/** A connection on which congestion control leaves `allowed` octets, and stream 0 has a window of its own. */
function connection(allowed: number, window = Infinity, initialWindow = 1_000_000): SendRoom {
  return new SendRoom(
    {
      streamCapacity: (streamId) => {
        if (streamId === 4) throw new Error('StreamStopped(268)')
        return streamId === YARDSTICK ? allowed : Math.min(allowed, window)
      },
      stats: () => ({ peerInitialMaxData: initialWindow, peerInitialMaxStreamDataBidiLocal: initialWindow }),
      pathStats: () => [],
    },
    YARDSTICK,
  )
}

/** A connection with congestion control, the packets of which have headers of 41 octets, and one stream that is never done. */
class Downloading {
  readonly room: SendRoom
  readonly #quiche = { windowBytes: 13_500, onTheWay: 0, capacity: 13_500, unsent: 0, lost: 0, sentBytes: 0 }

  constructor() {
    const quiche = this.#quiche
    const capacities = {
      streamCapacity: () => quiche.capacity,
      stats: () => ({ peerInitialMaxData: 1e6, peerInitialMaxStreamDataBidiLocal: 1e6 }),
      pathStats: () => [{ lost: quiche.lost, cwnd: quiche.windowBytes, sentBytes: quiche.sentBytes }],
    }
    this.room = new SendRoom(capacities, YARDSTICK)
  }

  /** Octets that were written and could not be sent. */
  get unsent(): number {
    return this.#quiche.unsent
  }

  get onTheWay(): number {
    return this.#quiche.onTheWay
  }

  /** Octets that could still be sent. */
  get unused(): number {
    return this.#quiche.windowBytes - this.#quiche.onTheWay
  }

  /** Packets with so many octets have arrived, or are lost. */
  receive(bytes: number, windowBytes: number, isLost = false): void {
    const quiche = this.#quiche
    quiche.onTheWay -= bytes
    quiche.windowBytes = windowBytes
    quiche.capacity = Math.max(0, this.unused)
    if (isLost) quiche.lost++
    this.room.onReceived()
  }

  serve(): void {
    this.write()
    this.send()
    this.room.fillWindow(new Map([[0, true]]), this.write, this.send)
  }

  readonly write = (): void => {
    const quiche = this.#quiche
    const bytes = this.room.share(0, 1e6)
    quiche.capacity -= bytes
    quiche.unsent += bytes
    this.room.onWritten(bytes)
  }

  readonly send = (): void => {
    const quiche = this.#quiche
    while (quiche.unsent > 0 && this.unused > 41) {
      const bytes = Math.min(1350, quiche.unsent + 41, this.unused)
      quiche.unsent -= bytes - 41
      quiche.onTheWay += bytes
      quiche.sentBytes += bytes
      this.room.onSent(bytes)
    }
  }
}

describe('SendRoom', () => {
  it('has the window used to the last octet once it is known what headers take, and leaves nothing unsent', () => {
    const download = new Downloading()
    download.serve()
    expect(download.unused).toBeLessThan(11 * 64)
    for (const [acknowledged, windowBytes] of [
      [2700, 13_500],
      [2700, 16_200],
      [13_500, 27_000],
      [1350, 27_000],
      [1350, 28_350],
      [27_000, 54_321],
    ] as const) {
      download.receive(acknowledged, windowBytes)
      download.serve()
      expect([download.unused, download.unsent]).toEqual([0, 0])
    }
  })

  it('leaves nothing unsent when packets are lost, and goes on when the window is as small as can be', () => {
    const download = new Downloading()
    download.serve()
    download.receive(2700, 6750, true)
    while (download.onTheWay > 0) {
      download.receive(Math.min(1350, download.onTheWay), 2700)
      expect(download.unsent).toBe(0)
    }
    // Half of this window is less than a packet, but nothing else will make the other side answer.
    download.serve()
    expect([download.onTheWay > 0, download.unsent]).toEqual([true, 0])
  })

  it('gives what is wanted where there is room for it', () => {
    expect(connection(13_500).share(0, 5000)).toBe(5000)
    expect(connection(13_500).share(0, 0)).toBe(0)
  })

  it('keeps room for the headers of packets and frames', () => {
    // Of ten packets and one that is begun, 64 octets each; then whole packets.
    expect(connection(13_500).share(0, 20_000)).toBe(9 * (1350 - 64))
    expect(connection(13_500).share(0, 13_500 - 11 * 64)).toBe(13_500 - 11 * 64)
  })

  it('uses the whole window of a stream, as its headers do not count against that', () => {
    expect(connection(100_000, 2000).share(0, 20_000)).toBe(2000)
  })

  it('does not give the same room twice', () => {
    let allowed = 13_500
    const room = new SendRoom(
      {
        streamCapacity: () => allowed,
        stats: () => ({ peerInitialMaxData: 1e6, peerInitialMaxStreamDataBidiLocal: 1e6 }),
        pathStats: () => [],
      },
      YARDSTICK,
    )
    const first = room.share(0, 10_000)
    room.onWritten(first)
    allowed -= first
    const second = room.share(0, 10_000)
    expect([first, second]).toEqual([10_000, 2 * (1350 - 64)])
    room.onWritten(second)
    allowed -= second
    expect(room.share(0, 10_000)).toBe(0)
    // Sending changes nothing: what is left was for the headers of what was sent.
    allowed = 13_500
    room.onReceived()
    expect(room.share(0, 10_000)).toBe(10_000)
  })

  it('waits for acknowledgments rather than send next to nothing', () => {
    expect(connection(1000).share(0, 20_000)).toBe(0)
    expect(connection(1000).share(0, 500)).toBe(500)
  })

  it('gives all there is to a peer with small windows, which may wait for it', () => {
    expect(connection(1000, 1000, 16_384).share(0, 20_000)).toBe(1000)
  })

  it('is full when no stream can send a packet', () => {
    let allowed = 13_500
    const capacities = {
      streamCapacity: () => allowed,
      stats: () => ({ peerInitialMaxData: 1e6, peerInitialMaxStreamDataBidiLocal: 1e6 }),
      pathStats: () => [],
    }
    const room = new SendRoom(capacities, YARDSTICK)
    expect(room.isFull).toBe(false)
    allowed = 1350
    expect(room.isFull).toBe(true)
    // It has never shown more: this may be its own small window.
    expect(new SendRoom(capacities, YARDSTICK).isFull).toBe(false)
  })

  it('lets through that the stream cannot be sent on', () => {
    expect(() => connection(1000).share(4, 1)).toThrow('StreamStopped')
  })
})
