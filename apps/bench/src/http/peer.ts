import { fileURLToPath } from 'node:url'
import { findBun } from '../programs.ts'
import { ServerProcess } from '../server-process.ts'
import type { ServerSetup } from '../server-program.ts'

/** A server of one make. */
export interface Peer {
  readonly name: string
  /** Why it cannot run on this machine. */
  readonly missing?: string | undefined
  /** How many lines it logs for each request. */
  readonly logLines?: number
  /** @param folder For files of its own */
  start(setup: ServerSetup, folder: string): Promise<ServerProcess>
}

/**
 * A peer that is a TypeScript program for Node.js.
 *
 * @param program Reads its `serverSetup` and says `ready`
 * @param form Which of its variants
 */
export function nodePeer(name: string, program: URL, form?: string): Peer {
  return { name, start: (setup) => ServerProcess.program(programCommand(process.execPath, program, setup, form)) }
}

/** The same for Bun. */
export function bunPeer(name: string, program: URL): Peer {
  const bun = findBun()
  if (bun === undefined) return { name, missing: 'there is no Bun for this platform', start: () => Promise.reject() }
  return { name, start: (setup) => ServerProcess.program(programCommand(bun, program, setup)) }
}

function programCommand(runtime: string, program: URL, setup: ServerSetup, form?: string): readonly string[] {
  const flags = setup.isCollected === true ? ['--expose-gc'] : []
  return [runtime, ...flags, fileURLToPath(program), JSON.stringify(form === undefined ? setup : { ...setup, form })]
}
