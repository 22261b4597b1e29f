import cluster from 'node:cluster'
import * as log from '@fw/log'
import { startDemo } from './demo.ts'
import { helpText, readSettings } from './settings.ts'

/** Runs the demo until SIGINT or SIGTERM. On a startup error, prints one line and sets exit code 1. */
async function main(args: readonly string[]): Promise<void> {
  // `pnpm start -- --help` also passes the separator.
  const [option] = args[0] === '--' ? args.slice(1) : args
  if (option === '--help' || option === '-h') {
    process.stdout.write(helpText())
    return
  }
  if (option !== undefined)
    throw new Error(`Unknown option ${option}. Set environment variables instead: --help lists them.`)

  const demo = await startDemo(readSettings(process.env))
  // Workers run this function too, but only the primary prints.
  if (cluster.isPrimary) {
    process.stdout.write(`\n  ${demo.cleartext.url.href}  without TLS\n  ${demo.tls.url.href} with TLS\n\n`)
  }

  let isClosing = false
  const stop = (signal: NodeJS.Signals): void => {
    // A second signal means that the user does not want to wait for in-flight requests.
    if (isClosing) process.exit(130)
    isClosing = true
    log.info('Received {}', signal)
    demo.close().catch(fail)
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

main(process.argv.slice(2)).catch(fail)
