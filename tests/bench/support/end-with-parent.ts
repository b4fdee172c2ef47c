/** Preloaded into every contender: one that the bench did not live to stop ends by itself. */
process.on("disconnect", () => setTimeout(() => process.exit(), 5_000).unref());
// Listening keeps the channel, and with it the process, alive; that is for the process to decide.
process.channel?.unref();
