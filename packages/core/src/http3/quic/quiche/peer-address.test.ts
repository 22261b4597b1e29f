import { describe, expect, it } from 'vitest'
import { PeerAddress, type IssuedIds } from './peer-address.ts'

const HOME = { host: '192.0.2.1', port: 1 }
const AWAY = { host: '192.0.2.1', port: 2 }
const VICTIM = { host: '198.51.100.1', port: 3 }

/** The connection IDs of a client that gives up what it is told to when it hears of it. */
class Ids implements IssuedIds {
  readonly limit: number
  /** Those the client may still use, by number. */
  usable = [0]
  #next = 1
  /** All IDs below were to be given up. */
  retired = 0

  constructor(limit: number) {
    this.limit = limit
  }
  active(): number {
    return this.usable.length
  }
  issue(): { sequence: number; key: string } {
    if (this.usable.length >= 2 * this.limit - 1) throw new Error('IdLimit')
    if (this.usable.length >= this.limit)
      this.retired = (this.usable.find((sequence) => sequence >= this.retired) ?? 0) + 1
    this.usable.push(this.#next)
    return { sequence: this.#next, key: `id ${this.#next++}` }
  }
  /** A packet of this side arrived at the client. @returns The ID that it uses from now on */
  arrive(): string {
    this.usable = this.usable.filter((sequence) => sequence >= this.retired)
    return `id ${this.usable[0]}`
  }
}

describe('the address of a peer', () => {
  it('that sends from where it always did is no news', () => {
    const peer = new PeerAddress(HOME)
    expect([peer.isNews(HOME), peer.isNews(AWAY)]).toEqual([false, true])
    expect(peer.target(0)).toEqual({ to: HOME, room: Infinity })
  })

  it.each([
    [2, 0],
    [3, 0],
    [8, 0],
    [2, 60_000],
    [8, 60_000],
    [16, 60_000],
  ])('is another one, again and again, once it was proved (%i connection IDs, every %i ms)', (limit, gapMs) => {
    const peer = new PeerAddress(HOME)
    const ids = new Ids(limit)
    let key = 'id 0'
    for (let port = 2; port < 12; port++) {
      const address = { host: HOME.host, port }
      const nowMs = port * gapMs
      for (let packets = 0; packets <= 2 * limit && peer.proved !== address; packets++) {
        peer.onPacket(address, 50, key, ids, nowMs)
        key = ids.arrive()
      }
      expect(peer.proved).toBe(address)
      expect(peer.target(nowMs)).toEqual({ to: address, room: Infinity })
    }
  })

  it('is not sent an order to give up a connection ID that may be lost', () => {
    const peer = new PeerAddress(HOME)
    const ids = new Ids(2)
    peer.onPacket(AWAY, 50, 'id 0', ids, 0)
    expect(ids.retired).toBe(1)
    // Nothing of that arrives, and the next address is there already.
    peer.onPacket(VICTIM, 50, 'id 0', ids, 100)
    expect(ids.retired).toBe(1)
  })

  it('gets no more than three times what came from it until it is proved', () => {
    const peer = new PeerAddress(HOME)
    peer.onPacket(AWAY, 50, 'id 0', new Ids(2), 0)
    expect(peer.target(0)).toEqual({ to: AWAY, room: 150 })
    peer.onSent(140)
    peer.onPacket(AWAY, 40, 'id 0', new Ids(2), 0)
    expect(peer.target(0)).toEqual({ to: AWAY, room: 130 })
  })

  it('is the old one again when the peer sends from there', () => {
    const peer = new PeerAddress(HOME)
    peer.onPacket(VICTIM, 50, 'id 0', new Ids(2), 0)
    expect(peer.isNews(HOME)).toBe(true)
    peer.onPacket(HOME, 50, 'id 0', new Ids(2), 0)
    expect(peer.target(0)).toEqual({ to: HOME, room: Infinity })
  })

  it('is the old one again when there is no proof for three seconds', () => {
    const peer = new PeerAddress(HOME)
    peer.onPacket(VICTIM, 50, 'id 0', new Ids(2), 0)
    expect([peer.target(3000).to, peer.target(3001).to]).toEqual([VICTIM, HOME])
  })

  it('is not proved by connection IDs that were sent elsewhere', () => {
    const peer = new PeerAddress(HOME)
    const ids = new Ids(2)
    peer.onPacket(AWAY, 50, 'id 0', ids, 0)
    const known = ids.arrive()
    // The peer got them at its own address after all, and has somebody else pretend to be the next.
    peer.onPacket(HOME, 50, known, ids, 0)
    peer.onPacket(VICTIM, 50, known, ids, 0)
    expect(peer.proved).toBe(HOME)
    expect(peer.target(0).room).toBe(150)
  })

  it('does not change for a client that keeps more connection IDs than it could be made to give up', () => {
    const peer = new PeerAddress(HOME)
    peer.onPacket(AWAY, 50, 'id 0', new Ids(17), 0)
    expect(peer.target(0)).toEqual({ to: HOME, room: Infinity })
  })

  it('is followed a hundred times', () => {
    const peer = new PeerAddress(HOME)
    for (let i = 0; i < 100; i++) {
      expect(peer.isWornOut).toBe(false)
      peer.onPacket(AWAY, 50, '', new Ids(2), 0)
      peer.onPacket(HOME, 50, '', new Ids(2), 0)
    }
    expect(peer.isWornOut).toBe(true)
    peer.onPacket(AWAY, 50, '', new Ids(2), 0)
    expect(peer.target(0).to).toBe(HOME)
  })
})
