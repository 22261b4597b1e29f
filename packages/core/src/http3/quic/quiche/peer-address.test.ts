import { describe, expect, it } from 'vitest'
import { PeerAddress, type IssuedIds } from './peer-address.ts'

const HOME = { host: '192.0.2.1', port: 1 }
const AWAY = { host: '192.0.2.1', port: 2 }
const VICTIM = { host: '198.51.100.1', port: 3 }

/** Connection IDs from a client that retires IDs as soon as the server requests it. */
class Ids implements IssuedIds {
  readonly limit: number
  /** Sequence numbers of the IDs that the client can still use. */
  usable = [0]
  #next = 1
  /** Sequence number below which all IDs must be retired. */
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
  /**
   * Delivers a packet to the client.
   *
   * @returns The ID that the client uses from now on
   */
  arrive(): string {
    this.usable = this.usable.filter((sequence) => sequence >= this.retired)
    return `id ${this.usable[0]}`
  }
}

describe('PeerAddress', () => {
  it('ignores packets from the validated address', () => {
    const peer = new PeerAddress(HOME)
    expect([peer.isRelevant(HOME), peer.isRelevant(AWAY)]).toEqual([false, true])
    expect(peer.target(0)).toEqual({ to: HOME, room: Infinity })
  })

  it.each([
    [2, 0],
    [3, 0],
    [8, 0],
    [2, 60_000],
    [8, 60_000],
    [16, 60_000],
  ])('validates one new address after another (%i connection IDs, every %i ms)', (limit, gapMs) => {
    const peer = new PeerAddress(HOME)
    const ids = new Ids(limit)
    let key = 'id 0'
    for (let port = 2; port < 12; port++) {
      const address = { host: HOME.host, port }
      const nowMs = port * gapMs
      for (let packets = 0; packets <= 2 * limit && peer.validated !== address; packets++) {
        peer.onPacket(address, 50, key, ids, nowMs)
        key = ids.arrive()
      }
      expect(peer.validated).toBe(address)
      expect(peer.target(nowMs)).toEqual({ to: address, room: Infinity })
    }
  })

  it('does not request the retirement of a connection ID that can be lost', () => {
    const peer = new PeerAddress(HOME)
    const ids = new Ids(2)
    peer.onPacket(AWAY, 50, 'id 0', ids, 0)
    expect(ids.retired).toBe(1)
    // None of these packets arrives before the next address appears.
    peer.onPacket(VICTIM, 50, 'id 0', ids, 100)
    expect(ids.retired).toBe(1)
  })

  it('sends an unvalidated address at most three times the bytes received from it', () => {
    const peer = new PeerAddress(HOME)
    peer.onPacket(AWAY, 50, 'id 0', new Ids(2), 0)
    expect(peer.target(0)).toEqual({ to: AWAY, room: 150 })
    peer.onSent(140)
    peer.onPacket(AWAY, 40, 'id 0', new Ids(2), 0)
    expect(peer.target(0)).toEqual({ to: AWAY, room: 130 })
  })

  it('returns to the validated address when the peer sends from it', () => {
    const peer = new PeerAddress(HOME)
    peer.onPacket(VICTIM, 50, 'id 0', new Ids(2), 0)
    expect(peer.isRelevant(HOME)).toBe(true)
    peer.onPacket(HOME, 50, 'id 0', new Ids(2), 0)
    expect(peer.target(0)).toEqual({ to: HOME, room: Infinity })
  })

  it('returns to the validated address after three seconds without proof', () => {
    const peer = new PeerAddress(HOME)
    peer.onPacket(VICTIM, 50, 'id 0', new Ids(2), 0)
    expect([peer.target(3000).to, peer.target(3001).to]).toEqual([VICTIM, HOME])
  })

  it('does not accept a connection ID that was sent to another address as proof', () => {
    const peer = new PeerAddress(HOME)
    const ids = new Ids(2)
    peer.onPacket(AWAY, 50, 'id 0', ids, 0)
    const known = ids.arrive()
    // The peer receives them at its own address, and an attacker spoofs the next address.
    peer.onPacket(HOME, 50, known, ids, 0)
    peer.onPacket(VICTIM, 50, known, ids, 0)
    expect(peer.validated).toBe(HOME)
    expect(peer.target(0).room).toBe(150)
  })

  it('keeps the address of a client whose connection ID limit is too high', () => {
    const peer = new PeerAddress(HOME)
    peer.onPacket(AWAY, 50, 'id 0', new Ids(17), 0)
    expect(peer.target(0)).toEqual({ to: HOME, room: Infinity })
  })

  it('follows a hundred address changes', () => {
    const peer = new PeerAddress(HOME)
    for (let i = 0; i < 100; i++) {
      expect(peer.isExhausted).toBe(false)
      peer.onPacket(AWAY, 50, '', new Ids(2), 0)
      peer.onPacket(HOME, 50, '', new Ids(2), 0)
    }
    expect(peer.isExhausted).toBe(true)
    peer.onPacket(AWAY, 50, '', new Ids(2), 0)
    expect(peer.target(0).to).toBe(HOME)
  })
})
