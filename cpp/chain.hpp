// One Markov chain over trees: a walker that samples, warmer ones that find the way, a record.
#pragma once

#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "moves.hpp"
#include "record.hpp"
#include "snapshot.hpp"
#include "walker.hpp"

namespace sweeptree {

enum Phase { burn_in, sampling, n_phases };

// The first walker samples the target. The others, if there are any, take a smaller share of the
// likelihood each, and now and then neighbours exchange their places.
class Chain {
 public:
  Chain(const Target& target, const Strategy& strategy, double start_share, Random random)
      : target_(target), strategy_(strategy), start_share_(start_share), random_(random) {
    add_walker();
  }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  // Makes moves until `n` are made or `seconds` have passed; returns how many were made.
  // In the sampling phase every `thin`-th move is recorded.
  std::int64_t run(std::int64_t n, Phase phase, std::int64_t thin, double seconds,
                   FullTrace* trace) {
    constexpr std::int64_t moves_between_looks_at_the_clock = 32;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    for (std::int64_t i = 1; i <= n; ++i) {
      step(phase);
      if (phase == sampling && ++n_since_draw_ >= thin) record_draw();
      if (trace != nullptr) record_move(*trace);
      if (i % moves_between_looks_at_the_clock == 0 && std::chrono::steady_clock::now() >= end)
        return i;
    }
    return n;
  }

  // Adds a walker for each share of the likelihood; they start from the present tree. The shares
  // must fall, between 1 and 0.
  void temper(std::span<const double> shares, std::int64_t moves_between_exchanges) {
    moves_between_exchanges_ = moves_between_exchanges;
    for (const double share : shares) {
      add_walker();
      walkers_.back()->follow(walker());
      shares_.push_back(share);
    }
  }

  // The one that samples.
  Walker& walker() { return *walkers_.front(); }
  const Walker& walker() const { return *walkers_.front(); }
  const Tree& tree() const { return walker().tree(); }

  bool plant(const FlatTrees& model) {
    has_changed_ = true;
    return walker().plant(model);
  }

  const Draws& draws() const { return draws_; }
  void halve_draws() { draws_.halve(target_.data->n_classes()); }
  const std::array<MoveCounts, n_phases>& counts() const { return counts_; }

  ChainSnapshot snapshot() const {
    ChainSnapshot taken;
    for (const auto& walker : walkers_) taken.walkers.push_back(walker->snapshot());
    taken.shares = shares_;
    taken.moves_between_exchanges = moves_between_exchanges_;
    taken.first_to_exchange = static_cast<std::int64_t>(first_to_exchange_);
    taken.n_since_draw = n_since_draw_;
    taken.has_changed = has_changed_;
    for (const MoveCounts& phase : counts_)
      for (const auto& move : phase)
        taken.counts.insert(taken.counts.end(), move.begin(), move.end());
    taken.draws = draws_;
    return taken;
  }

  // Goes back to where a chain on the same target was; a snapshot that makes no sense is refused
  // and changes nothing.
  void restore(ChainSnapshot snapshot) {
    check_snapshot(snapshot, target_, sizeof(counts_) / sizeof(std::int64_t));
    std::vector<std::unique_ptr<Walker>> walkers;
    for (const WalkerSnapshot& walker : snapshot.walkers) {
      walkers.push_back(std::make_unique<Walker>(target_, strategy_));
      walkers.back()->restore(walker);
    }
    check_distances(snapshot);
    walkers_ = std::move(walkers);
    shares_ = std::move(snapshot.shares);
    moves_between_exchanges_ = snapshot.moves_between_exchanges;
    first_to_exchange_ = static_cast<std::size_t>(snapshot.first_to_exchange);
    n_since_draw_ = snapshot.n_since_draw;
    has_changed_ = snapshot.has_changed;
    auto count = snapshot.counts.begin();
    for (MoveCounts& phase : counts_)
      for (auto& move : phase)
        for (std::int64_t& outcome : move) outcome = *count++;
    draws_ = std::move(snapshot.draws);
  }

 private:
  void add_walker() { walkers_.push_back(std::make_unique<Walker>(target_, strategy_)); }

  // The walker that samples makes a move. The others make theirs when it is time to change places:
  // as many in a row are quicker than one here and one there.
  void step(Phase phase) {
    move(0, phase);
    const std::int64_t n_made = walker().state().n_moves_made;
    if (walkers_.size() == 1 || n_made % moves_between_exchanges_ != 0) return;
    for (std::size_t i = 1; i < walkers_.size(); ++i)
      while (walkers_[i]->state().n_moves_made < n_made) move(i, phase);
    exchange(annealed_share(phase, n_made));
  }

  // Only moves of the walker that samples are counted.
  void move(std::size_t i, Phase phase) {
    const double annealed = annealed_share(phase, walkers_[i]->state().n_moves_made);
    const Heat heat{annealed * shares_[i], 1.0 - annealed};
    MoveCounts& counts = i == 0 ? counts_[phase] : uncounted_;
    const bool has_changed = walkers_[i]->step(random_, heat, phase == burn_in, counts);
    if (i == 0 && has_changed) has_changed_ = true;
  }

  // Offers neighbours to change places: the first with the second, the third with the fourth and
  // so on; the next time the second with the third, and so on.
  void exchange(double annealed) {
    for (std::size_t i = first_to_exchange_; i + 1 < walkers_.size(); i += 2) {
      const double gain = walkers_[i + 1]->log_likelihood() - walkers_[i]->log_likelihood();
      const double log_ratio = annealed * (shares_[i] - shares_[i + 1]) * gain;
      const double u = 1.0 - random_.uniform();  // never zero
      if (log_ratio < 0.0 && std::log(u) >= log_ratio) continue;
      std::swap(walkers_[i], walkers_[i + 1]);
      if (i == 0) has_changed_ = true;
    }
    first_to_exchange_ = 1 - first_to_exchange_;
  }

  // How much of the target counts after so many moves: less than 1 while annealing.
  double annealed_share(Phase phase, std::int64_t n_made) const {
    if (phase == sampling || n_made >= strategy_.anneal_moves) return 1.0;
    const double progress = static_cast<double>(n_made) / strategy_.anneal_moves;
    return start_share_ + (1.0 - start_share_) * progress;
  }

  // ---- recording ---------------------------------------------------------------------------

  void record_draw() {
    n_since_draw_ = 0;
    walker().forget_rounding();
    if (has_changed_) {
      draws_.trees.append(tree(), *target_.data);
      has_changed_ = false;
    }
    draws_.n_leaves.push_back(tree().n_leaves());
    draws_.depth.push_back(tree().depth_below(tree().root()));
    draws_.log_likelihood.push_back(walker().log_likelihood());
    draws_.log_prior.push_back(walker().state().log_prior());
    draws_.alpha.push_back(walker().state().alpha);
    draws_.tree.push_back(static_cast<std::int32_t>(draws_.trees.node_offsets.size()) - 2);
  }

  void record_move(FullTrace& trace) const {
    trace.n_leaves.push_back(tree().n_leaves());
    trace.log_likelihood.push_back(walker().log_likelihood());
  }

  const Target& target_;
  const Strategy strategy_;
  double start_share_;
  Random random_;
  std::vector<std::unique_ptr<Walker>> walkers_;
  std::vector<double> shares_{1.0};
  std::int64_t moves_between_exchanges_ = 1;
  std::size_t first_to_exchange_ = 0;
  std::int64_t n_since_draw_ = 0;
  bool has_changed_ = true;
  std::array<MoveCounts, n_phases> counts_{};
  MoveCounts uncounted_{};
  Draws draws_;
};

}  // namespace sweeptree
