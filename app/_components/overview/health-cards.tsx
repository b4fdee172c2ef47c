import Link from "next/link";
import { type Card, healthCards } from "#lib/console/health-cards.ts";
import type { Health } from "#lib/console/overview.ts";

/** The five figures that say whether somebody is needed, each leading to its rows. */
export function HealthCards({ health }: { health: Health }) {
  return (
    <section className="cards" aria-label="Health">
      {healthCards(health).map((card) => (
        <HealthCard key={card.label} card={card} />
      ))}
    </section>
  );
}

function HealthCard({ card }: { card: Card }) {
  return (
    <Link href={card.href} className={card.alarm ? "alarm" : ""}>
      <span className="label">{card.label}</span>
      <span className="figure num">
        {card.figure}
        {card.alarm ? <span className="sr-only"> , needs a look</span> : null}
      </span>
      <span className="detail">{card.detail}</span>
    </Link>
  );
}
