import { fileURLToPath } from 'node:url'
import { findBun } from '../programs.ts'
import { ServerProcess } from '../server-process.ts'
import type { ServerSetup } from '../server-program.ts'

/** Server to compare. */
export interface Peer {
  readonly name: string
  /** Reason why the server cannot run on this machine. */
  readonly missing?: string | undefined
  /** Log lines per request. */
  readonly logLines?: number
  /** Starts the server. @param folder Folder for its files */
  start(setup: ServerSetup, folder: string): Promise<ServerProcess>
}

/**
 * Returns a peer that runs a TypeScript program with Node.js.
 *
 * @param program Program that reads `serverSetup()` and calls `ready()`
 * @param form Variant of the program
 */
export function nodePeer(name: string, program: URL, form?: string): Peer {
  return { name, start: (setup) => ServerProcess.program(programCommand(process.execPath, program, setup, form)) }
}

/** Returns a peer that runs a TypeScript program with Bun. */
export function bunPeer(name: string, program: URL): Peer {
  const bun = findBun()
  if (bun === undefined)
    return { name, missing: 'Bun is not available for this platform', start: () => Promise.reject() }
  return { name, start: (setup) => ServerProcess.program(programCommand(bun, program, setup)) }
}

function programCommand(runtime: string, program: URL, setup: ServerSetup, form?: string): readonly string[] {
  const flags = setup.isCollected === true ? ['--expose-gc'] : []
  return [runtime, ...flags, fileURLToPath(program), JSON.stringify(form === undefined ? setup : { ...setup, form })]
}
