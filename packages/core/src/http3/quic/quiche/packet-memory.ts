/** Enough for some fifty full packets, or hundreds of short ones. */
const SLAB_BYTES = 64 * 1024

let slab: Buffer = Buffer.allocUnsafeSlow(SLAB_BYTES)
let used = 0

/** Memory for a packet of up to `maxBytes`. What is not kept by `keepPacket` is given out again. */
export function packetMemory(maxBytes: number): Buffer {
  if (used + maxBytes > SLAB_BYTES) {
    // The system may not have taken all of the packets in the old one.
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
    used = 0
  }
  return slab.subarray(used, used + maxBytes)
}

/** The first bytes of what `packetMemory` gave last: nobody else gets these. */
export function keepPacket(bytes: number): Buffer {
  const start = used
  used += bytes
  return slab.subarray(start, used)
}
