/** Size of a slab in bytes. Enough for about 50 full packets, or hundreds of short ones. */
const SLAB_BYTES = 64 * 1024

let slab: Buffer = Buffer.allocUnsafeSlow(SLAB_BYTES)
let used = 0

/** Returns a buffer for a packet of up to `maxBytes`. The next call reuses it unless `keepPacket` is called. */
export function packetMemory(maxBytes: number): Buffer {
  if (used + maxBytes > SLAB_BYTES) {
    // Do not reuse the old slab, because the kernel might not have sent all its packets yet.
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
    used = 0
  }
  return slab.subarray(used, used + maxBytes)
}

/** Returns the first bytes of the last `packetMemory` buffer, and reserves them for the caller. */
export function keepPacket(bytes: number): Buffer {
  const start = used
  used += bytes
  return slab.subarray(start, used)
}
