#!/usr/bin/env node
// Every version of Node.js must be able to parse this file.
const version = process.versions.node
if (Number(version.split('.')[0]) >= 24) {
  void import('@fw/create').then(({ main }) => main(process.argv.slice(2)))
} else {
  console.error(
    '@fw/create needs Node.js 24 or later, but this is Node.js ' +
      version +
      '. Install a newer version from https://nodejs.org.',
  )
  process.exitCode = 1
}
