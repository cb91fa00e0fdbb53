// A browser whose user agrees: follows wherever the URL leads, and the last redirect leads back to the bridge.
await (await fetch(process.argv[2])).text();
