import { expect, it } from 'vitest'
import { keepPacket, packetMemory } from './packet-memory.ts'

it('what was kept is given to nobody else, however many packets follow', () => {
  const packets = Array.from({ length: 500 }, (_, i) => {
    packetMemory(1350).fill(i % 256)
    return keepPacket(1 + (i % 1350))
  })
  for (const [i, packet] of packets.entries()) {
    expect(packet.byteLength).toBe(1 + (i % 1350))
    expect(packet.every((byte) => byte === i % 256)).toBe(true)
  }
})

it('what was not kept is given again', () => {
  packetMemory(1350).fill(7)
  const packet = packetMemory(1350)
  expect(packet.byteLength).toBe(1350)
  expect(packet.every((byte) => byte === 7)).toBe(true)
})
