/** Makes the absolute URL of a message's page in the console. */
export const messageLink = (publicUrl: string) => (message: string) => `${publicUrl}/outbox/${message}`;
