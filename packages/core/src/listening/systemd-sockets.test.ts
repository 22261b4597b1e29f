import { describe, expect, it } from 'vitest'
import { StartupError } from '../options/startup-error.ts'
import { systemdSockets } from './systemd-sockets.ts'

const PID = 42

function env(fds: string | undefined, names?: string, pid = String(PID)): NodeJS.ProcessEnv {
  return { LISTEN_FDS: fds, LISTEN_PID: pid, LISTEN_FDNAMES: names }
}

describe('systemdSockets', () => {
  it.each<[NodeJS.ProcessEnv, string | undefined, readonly number[]]>([
    [env('1'), undefined, [3]],
    [env('3', 'a:b:a'), undefined, [3, 4, 5]],
    [env('3', 'a:b:a'), 'a', [3, 5]],
    [env('3', 'a:b:a'), 'b', [4]],
  ])('maps %j with name %s to %j', (given, name, expected) => {
    expect(systemdSockets(given, PID, name)).toEqual(expected)
  })

  it.each<[string, NodeJS.ProcessEnv, string | undefined, RegExp]>([
    ['no variables', {}, undefined, /none was passed.*systemd-socket-activate/],
    [
      'sockets passed to another process',
      env('1', undefined, '41'),
      undefined,
      /passed to process 41, but this is process 42\. .*'exec'/,
    ],
    ['a count of zero', env('0'), undefined, /LISTEN_FDS is '0'/],
    ['a count that is not a number', env('many'), undefined, /LISTEN_FDS is 'many'/],
    ['a name without names', env('1'), 'web', /the passed sockets have no names\. Set FileDescriptorName=web/],
    ['another name', env('2', 'a:b'), 'web', /: systemd passed only a, b\./],
    ['a name beyond the sockets', env('1', 'a:web'), 'web', /: systemd passed only a\./],
  ])('throws for %s', (_what, given, name, message) => {
    const act = (): unknown => systemdSockets(given, PID, name)
    expect(act).toThrow(StartupError)
    expect(act).toThrow(message)
  })
})
