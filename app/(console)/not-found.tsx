import { Blank } from "../_components/blank.tsx";
import { PageBar } from "../_components/page-bar.tsx";

export const metadata = { title: "Not found" };

export default function ConsoleNotFound() {
  return (
    <>
      <PageBar title={<h1>Not found</h1>} />
      <section className="panel">
        <Blank title="Nothing is known under this id">
          Ids are exact. Look at the sender’s own page whether it was sent here, or find it by another of its
          ids above.
        </Blank>
      </section>
    </>
  );
}
