import { describe, expect, it } from 'vitest'
import { keepPacket, packetMemory } from './packet-memory.ts'

describe('packetMemory', () => {
  it('does not reuse the memory of kept packets', () => {
    const packets = Array.from({ length: 500 }, (_, i) => {
      packetMemory(1350).fill(i % 256)
      return keepPacket(1 + (i % 1350))
    })
    for (const [i, packet] of packets.entries()) {
      expect(packet.byteLength).toBe(1 + (i % 1350))
      expect(packet.every((byte) => byte === i % 256)).toBe(true)
    }
  })

  it('reuses the memory of packets that were not kept', () => {
    packetMemory(1350).fill(7)
    const packet = packetMemory(1350)
    expect(packet.byteLength).toBe(1350)
    expect(packet.every((byte) => byte === 7)).toBe(true)
  })
})
