import { useLingui } from "@lingui/react/macro";
import { Button, Checkbox, Modal, TagsInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { createContact, tagSlug, tagsQuery } from "@/api/people";
import { useToast } from "@/ui/toast";
import { useRefusal } from "@/ui/useRefusal";
import { callName } from "./name";
import classes from "./people.module.css";

export default function AddContact({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const tags = useQuery(tagsQuery);
  const form = useForm({
    initialValues: { email: "", first_name: "", last_name: "", phone: "", tags: [] as string[], agreed: false },
    validate: {
      email: (value, values) =>
        value.trim() || values.phone.trim() ? null : t`Write an e-mail address or a phone number.`,
    },
  });
  const { refusal, refuse, forgive } = useRefusal(form, { "consents.0.state": "agreed" });

  const submit = form.onSubmit(async ({ agreed, tags: words, ...rest }) => {
    forgive();
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value.trim() !== ""));
    try {
      const person = await createContact({
        ...given,
        ...(words.length ? { tags: await Promise.all(words.map((word) => tagSlug(word, tags.data ?? []))) } : {}),
        ...(agreed ? { consents: [{ channel: "email", state: "granted", source: "added by hand" }] } : {}),
      });
      for (const key of ["people", "tags"]) client.invalidateQueries({ queryKey: [key] });
      onClose();
      toast.show({
        title: t`${callName(person)} is saved`,
        action: { label: t`Open`, onClick: () => navigate({ to: "/people/$id", params: { id: person.id } }) },
      });
    } catch (error) {
      refuse(error);
    }
  });

  return (
    <Modal opened onClose={onClose} title={t`Add a person`} size={460} closeButtonProps={{ "aria-label": t`Close` }}>
      <form className={classes.form} onSubmit={submit} noValidate>
        <TextInput label={t`E-mail`} type="email" data-autofocus {...form.getInputProps("email")} />
        <div className={classes.pair}>
          <TextInput label={t`First name`} {...form.getInputProps("first_name")} />
          <TextInput label={t`Last name`} {...form.getInputProps("last_name")} />
        </div>
        <TextInput
          label={t`Phone`}
          description={t`With the country code, such as +48 600 100 200.`}
          type="tel"
          {...form.getInputProps("phone")}
        />
        <TagsInput
          label={t`Tags`}
          data={tags.data?.map((tag) => tag.name) ?? []}
          comboboxProps={{ withinPortal: false }}
          {...form.getInputProps("tags")}
        />
        <Checkbox
          label={t`This person agreed to marketing e-mail`}
          {...form.getInputProps("agreed", { type: "checkbox" })}
        />
        {refusal && (
          <p className={classes.refusal} role="alert">
            {refusal}
          </p>
        )}
        <div className={classes.steps}>
          <Button variant="subtle" onClick={onClose}>
            {t`Cancel`}
          </Button>
          <Button type="submit" variant="filled" loading={form.submitting}>
            {t`Save the person`}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
